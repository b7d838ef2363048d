module gorefs/misc/dist

go 1.26.0
