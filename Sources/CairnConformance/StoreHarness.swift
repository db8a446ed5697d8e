import CairnModel
import CairnStore
import Foundation

/// A type that provides the kit with stores of an engine.
///
/// ``EngineHarness`` is enough for most engines. Write your own harness if stores need more than a
/// location.
public protocol StoreHarness: Sendable {
    /// The engine under test.
    var engine: any PersistentStore.Type { get }

    /// Returns the location for a store with a name. Each rule has its own folder, which is initially
    /// empty and is removed after the rule. The folder's name is unique, so a harness whose stores belong
    /// to a service can derive their names from it. Only stores that are files may create files in the
    /// folder.
    func location(_ name: String, in folder: URL) -> StoreLocation

    /// Prepares the engine's service, if it has one, for the stores of one rule. Called before the first
    /// of them is opened. The default implementation does nothing.
    ///
    /// - Parameter folder: The rule's folder, as in ``location(_:in:)``.
    func setUp(for folder: URL) throws

    /// Removes what the rule left on the service. Called after the rule, whether or not it was kept, when
    /// the rule's first store has been closed. If this throws an error, the rule is broken. The default
    /// implementation does nothing.
    ///
    /// - Parameter folder: The rule's folder, as in ``location(_:in:)``.
    func tearDown(for folder: URL) throws

    /// The options with which the stores are opened, in addition to those of a request. The benchmark, which
    /// opens stores through a coordinator, uses them instead of ``open(_:)``. The default is no options.
    var options: StoreOptions { get }

    /// Opens a store with the engine, adding the harness's options.
    func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore

    /// Reads a store's metadata without opening the store. Called only for engines that keep files.
    func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata

    /// Runs the body while the store is not open anywhere, as the engine does. Called only for engines
    /// that keep files.
    func withExclusiveUse(
        of location: StoreLocation, _ body: () throws(StoreError) -> Void
    ) throws(StoreError)

    /// The program that rules run as another process, with the same harness. If it is `nil`, an engine
    /// whose stores are durable cannot be tested.
    var worker: WorkerExecutable? { get }

    /// Whether reading a damaged file may end a process by a signal, for example because the engine uses
    /// a library that maps files into memory and trusts their contents. If so, mention it in the engine's
    /// documentation. The rules about damage then tolerate such an end, but no other failure.
    var damageMayEndProcess: Bool { get }
}

extension StoreHarness {
    /// Does nothing.
    public func setUp(for folder: URL) throws {}

    /// Does nothing.
    public func tearDown(for folder: URL) throws {}

    /// No options.
    public var options: StoreOptions { [:] }

    /// Returns `false`, so damaged files must not end a process.
    public var damageMayEndProcess: Bool { false }

    /// Calls the engine's own method.
    ///
    /// - Throws: `.unsupported` for an engine without files; the engine's errors.
    public func withExclusiveUse(
        of location: StoreLocation, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try fileEngine(for: location).withExclusiveUse(of: location, body)
    }

    /// Calls the engine's own method.
    ///
    /// - Throws: `.unsupported` for an engine without files; the engine's errors.
    public func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try fileEngine(for: location).metadata(at: location)
    }

    /// Returns the engine as a file engine.
    ///
    /// - Throws: `.unsupported` for an engine without files.
    func fileEngine(for location: StoreLocation) throws(StoreError) -> any FileStore.Type {
        if let engine = engine as? any FileStore.Type { return engine }
        throw .unsupported(
            location, feature: "no files",
            advice: "Only engines whose stores are files can be asked for them.")
    }

    /// Opens the store with the engine.
    public func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore {
        try engine.open(request)
    }
}

/// A harness for an engine whose stores need only a location: a file, or a name in memory.
///
/// An engine whose stores are with a service needs its own harness, which supplies the addresses.
public struct EngineHarness: StoreHarness {
    /// The engine under test.
    public let engine: any PersistentStore.Type
    /// The program that rules run as another process.
    public let worker: WorkerExecutable?
    /// Whether a damaged file may end a process by a signal.
    public let damageMayEndProcess: Bool
    /// The options to add to those of each request.
    public let options: StoreOptions

    /// Creates a harness.
    ///
    /// - Parameters:
    ///   - engine: The engine under test.
    ///   - worker: The program that rules run as another process. It can be `nil` if the engine's stores do
    ///     not outlive their process.
    ///   - damageMayEndProcess: Whether a damaged file may end a process by a signal.
    ///   - options: The options to add to those of each request.
    public init(
        _ engine: any PersistentStore.Type, worker: WorkerExecutable? = nil,
        damageMayEndProcess: Bool = false, options: StoreOptions = [:]
    ) {
        self.engine = engine
        self.worker = worker
        self.damageMayEndProcess = damageMayEndProcess
        self.options = options
    }

    /// Returns a file if the engine's stores are files. Otherwise, returns a name in memory that no other
    /// rule uses.
    public func location(_ name: String, in folder: URL) -> StoreLocation {
        engine is any FileStore.Type
            ? .file(folder.appending(path: name))
            : .memory("\(folder.lastPathComponent)/\(name)")
    }

    /// Opens the store. The harness's options apply if the request does not contain them.
    public func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore {
        var request = request
        request.options.merge(options) { given, _ in given }
        return try engine.open(request)
    }
}
