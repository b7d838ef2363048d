module minimal

go 1.26
