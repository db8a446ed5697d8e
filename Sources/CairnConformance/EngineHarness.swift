import CairnModel
import CairnStore
import Foundation

/// A harness for an engine that opens a file, or a name in memory, with nothing more to it.
///
/// An engine whose stores are with a service needs a harness of its own, which gives it addresses.
public struct EngineHarness: StoreHarness {
    /// The engine under test.
    public let engine: any PersistentStore.Type
    /// The program that was given.
    public let worker: WorkerExecutable?
    /// As it was given.
    public let damageMayEndProcess: Bool
    private let options: StoreOptions

    /// - Parameters:
    ///   - worker: the program that is another process of a rule. `nil` is enough for an engine whose
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

    /// A file if the engine keeps files; otherwise a name in memory that no other rule uses.
    public func location(_ name: String, in folder: URL) -> StoreLocation {
        engine is any FileStore.Type
            ? .file(folder.appending(path: name))
            : .memory("\(folder.lastPathComponent)/\(name)")
    }

    /// Opens the store. The harness's options are used for options that the request does not contain.
    public func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore {
        var request = request
        request.options.merge(options) { given, _ in given }
        return try engine.open(request)
    }
}
