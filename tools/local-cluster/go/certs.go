package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// A cluster lives for minutes or days; a short life keeps a forgotten key worthless.
const validFor = 30 * 24 * time.Hour

// writeCertificates fills a folder with what the control plane's parts prove themselves by: the cluster's own
// authority, the API server's certificate, one client certificate per part and the pair that signs pod tokens.
func writeCertificates(dir string) error {
	key, err := newKey(filepath.Join(dir, "ca.key"))
	if err != nil {
		return err
	}
	authority := template("zipjobs-local-cluster", nil)
	authority.IsCA, authority.BasicConstraintsValid = true, true
	authority.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	if err := write(filepath.Join(dir, "ca.crt"), authority, authority, key, key); err != nil {
		return err
	}
	server := template("kube-apiserver", nil)
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	server.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)}
	serverKey, err := newKey(filepath.Join(dir, "apiserver.key"))
	if err != nil {
		return err
	}
	if err := write(filepath.Join(dir, "apiserver.crt"), server, authority, serverKey, key); err != nil {
		return err
	}
	if err := writeTokenKeys(dir); err != nil {
		return err
	}
	for name, groups := range map[string][]string{
		"admin":                          {"system:masters"},
		"system:node:local":              {"system:nodes"},
		"system:kube-controller-manager": nil,
		"system:kube-scheduler":          nil,
	} {
		if err := signClient(dir, name, groups); err != nil {
			return err
		}
	}
	return nil
}

// signClient makes DIR/NAME.crt and DIR/NAME.key: a person or a part that the API server knows by its certificate.
func signClient(dir string, name string, groups []string) error {
	certificate, err := readBlock(filepath.Join(dir, "ca.crt"))
	if err != nil {
		return err
	}
	authority, err := x509.ParseCertificate(certificate)
	if err != nil {
		return err
	}
	encoded, err := readBlock(filepath.Join(dir, "ca.key"))
	if err != nil {
		return err
	}
	authorityKey, err := x509.ParseECPrivateKey(encoded)
	if err != nil {
		return err
	}
	client := template(name, groups)
	client.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	key, err := newKey(filepath.Join(dir, name+".key"))
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, name+".crt"), client, authority, key, authorityKey)
}

func writeTokenKeys(dir string) error {
	key, err := newKey(filepath.Join(dir, "service-accounts.key"))
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	return writeBlock(filepath.Join(dir, "service-accounts.pub"), "PUBLIC KEY", public)
}

func template(name string, groups []string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name, Organization: groups},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(validFor),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func newKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	encoded, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, writeBlock(path, "EC PRIVATE KEY", encoded)
}

func write(path string, certificate, authority *x509.Certificate, key, authorityKey *ecdsa.PrivateKey) error {
	encoded, err := x509.CreateCertificate(rand.Reader, certificate, authority, &key.PublicKey, authorityKey)
	if err != nil {
		return err
	}
	return writeBlock(path, "CERTIFICATE", encoded)
}

func readBlock(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, &os.PathError{Op: "read PEM", Path: path, Err: os.ErrInvalid}
	}
	return block.Bytes, nil
}

func writeBlock(path, kind string, content []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600)
}
