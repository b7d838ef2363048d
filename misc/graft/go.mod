module gorefs/misc/graft

go 1.24.0
