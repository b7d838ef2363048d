module example.com/refs

go 1.26
