module gorefs/misc/tally

go 1.24.0
