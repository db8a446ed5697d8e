import Cairn

// The engines that tests run on. Each list follows from the registry of the built-in engines: a new engine is
// in them as soon as it is in `StoreRegistry.builtIn`.

/// All built-in engines, by name.
package let everyEngine: [StoreType] = StoreRegistry.builtIn.types

/// The built-in engines that keep a store in files.
package let everyFileEngine = everyEngine.filter { builtIn($0) is any FileStore.Type }

/// The built-in engines that write the whole file with each save.
package let everyWholeFileEngine = everyFileEngine.filter {
    builtIn($0)?.capabilities.rewritesWholeFile == true
}

/// The built-in engines that keep files and write only changed rows to them.
package let everyRowWritingEngine = everyFileEngine.filter { !everyWholeFileEngine.contains($0) }

private func builtIn(_ type: StoreType) -> (any PersistentStore.Type)? {
    try? StoreRegistry.builtIn.engine(ofType: type)
}
