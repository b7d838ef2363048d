module blocks

go 1.26
