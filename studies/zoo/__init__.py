"""Train small networks on real data and export the arrays that qats reads."""
