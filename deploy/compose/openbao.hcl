# OpenBao keeps what it holds on the volume openbao, encrypted; it starts sealed.
storage "raft" {
  path    = "/openbao/file"
  node_id = "openbao"
}

listener "tcp" {
  address       = "0.0.0.0:8200"
  tls_cert_file = "/run/secrets/openbao-cert.pem"
  tls_key_file  = "/run/secrets/openbao-key.pem"
}

api_addr     = "https://openbao:8200"
cluster_addr = "https://openbao:8201"
