package wazero

type CompilationCache struct{}

func NewCompilationCacheWithDir(string) (CompilationCache, error) { return CompilationCache{}, nil }
