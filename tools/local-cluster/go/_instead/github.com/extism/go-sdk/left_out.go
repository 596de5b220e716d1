package extism

type HostFunction struct{}
