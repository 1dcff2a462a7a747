module cyclotome.example/peer

go 1.24.0

require github.com/tuneinsight/lattigo/v6 v6.2.0
