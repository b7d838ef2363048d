module gorefs/misc/bench

go 1.24.0

require golang.org/x/perf v0.0.0-20260112171951-5abaabe9f1bd

require github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
