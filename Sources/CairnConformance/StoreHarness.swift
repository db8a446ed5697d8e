import CairnModel
import CairnStore
import Foundation

/// How the kit comes by stores of an engine.
///
/// ``EngineHarness`` is enough for most engines; write one where stores need more than a place.
public protocol StoreHarness: Sendable {
    /// The engine under test.
    var engine: any PersistentStore.Type { get }

    /// Where a store of that name is kept. The folder is the rule's own, empty at first, and is
    /// removed after it.
    func location(_ name: String, in folder: URL) -> StoreLocation

    /// Opens a store as the engine does, with the options that the harness adds.
    func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore
}

extension StoreHarness {
    /// The engine's own.
    public func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore {
        try engine.open(request)
    }
}

/// A harness for an engine that opens a file, or a name in memory, with nothing more to it.
public struct EngineHarness: StoreHarness {
    /// The engine under test.
    public let engine: any PersistentStore.Type
    private let options: StoreOptions

    /// - Parameter options: added to those that a rule gives.
    public init(_ engine: any PersistentStore.Type, options: StoreOptions = [:]) {
        self.engine = engine
        self.options = options
    }

    /// A file where stores are durable, else a name in memory that no other rule uses.
    public func location(_ name: String, in folder: URL) -> StoreLocation {
        engine.capabilities.isDurable
            ? .file(folder.appending(path: name))
            : .memory("\(folder.lastPathComponent)/\(name)")
    }

    /// Opens the store with the harness's options, where the request does not give them.
    public func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore {
        var request = request
        request.options.merge(options) { given, _ in given }
        return try engine.open(request)
    }
}
