module unimported

go 1.26
