module opened

go 1.26
