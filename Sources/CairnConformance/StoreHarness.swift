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

    /// Reads a store's metadata without opening it.
    func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata

    /// Runs the body while nothing has the store open, as the engine does.
    func withExclusiveUse(
        of location: StoreLocation, _ body: () throws(StoreError) -> Void
    ) throws(StoreError)

    /// The program that is another process of a rule, with the same harness in it; nil: there is
    /// none, and an engine whose stores are durable cannot be proved.
    var worker: WorkerExecutable? { get }

    /// Whether reading a damaged file may end a process by a signal, as where the engine stands on
    /// a library that maps files into memory and trusts them. Say so in the engine's documentation:
    /// the rules about damage then ask for everything but that.
    var damageMayEndProcess: Bool { get }
}

extension StoreHarness {
    /// False: no file ends a process.
    public var damageMayEndProcess: Bool { false }

    /// The engine's own.
    public func withExclusiveUse(
        of location: StoreLocation, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try engine.withExclusiveUse(of: location, body)
    }

    /// The engine's own.
    public func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try engine.metadata(at: location)
    }

    /// The engine's own.
    public func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore {
        try engine.open(request)
    }
}

/// A harness for an engine that opens a file, or a name in memory, with nothing more to it.
public struct EngineHarness: StoreHarness {
    /// The engine under test.
    public let engine: any PersistentStore.Type
    /// The program that was given.
    public let worker: WorkerExecutable?
    /// As it was given.
    public let damageMayEndProcess: Bool
    private let options: StoreOptions

    /// - Parameters:
    ///   - worker: the program that is another process of a rule; nil is enough for an engine whose
    ///     stores die with their process.
    ///   - damageMayEndProcess: whether a damaged file may end a process by a signal.
    ///   - options: added to those that a rule gives.
    public init(
        _ engine: any PersistentStore.Type, worker: WorkerExecutable? = nil,
        damageMayEndProcess: Bool = false, options: StoreOptions = [:]
    ) {
        self.engine = engine
        self.worker = worker
        self.damageMayEndProcess = damageMayEndProcess
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
