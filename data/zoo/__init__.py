"""Train small networks on real data and export the arrays the harness reads."""
