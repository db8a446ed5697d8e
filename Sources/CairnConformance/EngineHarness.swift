import CairnModel
import CairnStore
import Foundation

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
    private let options: StoreOptions

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
