#!/usr/bin/perl
# The floor of knowing nothing: each prediction gets the same confidence, the share of right predictions among the n
# calibration rows, (right + 1)/(n + 2), and the other classes share the rest. The arrays are .npy files: a header of
# text, then little-endian numbers.
use strict;
use warnings;

sub npy {    # numbers of columns, and the numbers of a row or a label after the other
    my ($path) = @_;
    open(my $file, '<:raw', $path) or die "$path: $!\n";
    local $/;
    my $bytes = <$file>;
    my $head = 10 + unpack('x8 v', $bytes);
    my ($shape) = substr($bytes, 0, $head) =~ /'shape': \(([^)]*)\)/ or die "$path: no shape\n";
    my (undef, $columns) = $shape =~ /(\d+), *(\d+)/;
    return ($columns, substr($bytes, $head));
}

sub predictions {    # the class with the largest number of each row, of equal ones the first
    my ($path) = @_;
    my ($k, $bytes) = npy($path);
    my @classes;
    for (my $at = 0; $at < length $bytes; $at += 4 * $k) {
        my @row = unpack("f<$k", substr($bytes, $at, 4 * $k));
        my $best = 0;
        for my $j (1 .. $k - 1) { $best = $j if $row[$j] > $row[$best] }
        push @classes, $best;
    }
    return ($k, @classes);
}

my ($verb, $folder) = @ARGV;
if ($verb eq 'fit') {
    my ($k, @predicted) = predictions("$folder/cal/logits.npy");
    my (undef, $bytes) = npy("$folder/cal/labels.npy");
    my @labels = unpack('l<*', $bytes);
    my $right = grep { $predicted[$_] == $labels[$_] } 0 .. $#labels;
    open(my $model, '>', "$folder/model/confidence") or die "confidence: $!\n";
    printf $model "%.17g\n", ($right + 1) / (@labels + 2);
}
else {
    my ($k, @predicted) = predictions("$folder/test/logits.npy");
    open(my $model, '<', "$folder/model/confidence") or die "confidence: $!\n";
    chomp(my $confidence = <$model>);
    my $least = (1 + 2**-20) / $k;    # else another class would be predicted
    $confidence = $least if $confidence < $least;
    my $head = sprintf "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", scalar @predicted, $k;
    $head .= ' ' x (117 - length $head) . "\n";
    open(my $out, '>:raw', "$folder/probs.npy") or die "probs.npy: $!\n";
    print $out "\x93NUMPY\x01\x00", pack('v', length $head), $head;
    for my $class (@predicted) {
        my @row = ((1 - $confidence) / ($k - 1)) x $k;
        $row[$class] = $confidence;
        print $out pack('d<*', @row);
    }
}
