import CairnModel
import CairnStore
import Foundation

/// How the kit comes by stores of an engine.
///
/// ``EngineHarness`` is enough for most engines; write one if stores need more than a location.
public protocol StoreHarness: Sendable {
    /// The engine under test.
    var engine: any PersistentStore.Type { get }

    /// Returns the location of a store of that name. Each rule has a folder of its own, which is
    /// empty at first and is removed after the rule. The folder's name is unique, so a harness whose
    /// stores belong to a service can derive their names from it. Only stores that are files may
    /// leave files in the folder.
    func location(_ name: String, in folder: URL) -> StoreLocation

    /// Prepares the service, if the engine has one, for the stores of one rule. Called before
    /// the first of them is opened. The default implementation does nothing.
    ///
    /// - Parameter folder: the rule's own, as ``location(_:in:)`` gets it.
    func setUp(for folder: URL) throws

    /// Removes what the rule left with the service. Called after the rule, whether or not it was kept,
    /// when its first store is closed. An error breaks the rule. The default implementation does
    /// nothing.
    ///
    /// - Parameter folder: the rule's own, as ``location(_:in:)`` gets it.
    func tearDown(for folder: URL) throws

    /// Opens a store as the engine does, with the options that the harness adds.
    func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore

    /// Reads a store's metadata without opening it. Called for engines that keep files only.
    func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata

    /// Runs the body while nothing has the store open, as the engine does. Called for engines that
    /// keep files only.
    func withExclusiveUse(
        of location: StoreLocation, _ body: () throws(StoreError) -> Void
    ) throws(StoreError)

    /// The program that is another process of a rule, with the same harness in it. If it is `nil`, an
    /// engine whose stores are durable cannot be proved.
    var worker: WorkerExecutable? { get }

    /// Whether reading a damaged file may end a process by a signal, for example because the engine
    /// uses a library that maps files into memory and trusts them. Say so in the engine's
    /// documentation. The rules about damage then tolerate such an end, and nothing else.
    var damageMayEndProcess: Bool { get }
}

extension StoreHarness {
    /// Does nothing.
    public func setUp(for folder: URL) throws {}

    /// Does nothing.
    public func tearDown(for folder: URL) throws {}

    /// Returns `false`: no file ends a process.
    public var damageMayEndProcess: Bool { false }

    /// The engine's own.
    ///
    /// - Throws: `.unsupported` for an engine without files; what the engine throws.
    public func withExclusiveUse(
        of location: StoreLocation, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try fileEngine(for: location).withExclusiveUse(of: location, body)
    }

    /// The engine's own.
    ///
    /// - Throws: `.unsupported` for an engine without files; what the engine throws.
    public func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try fileEngine(for: location).metadata(at: location)
    }

    /// The engine, whose stores are files.
    ///
    /// - Throws: `.unsupported` for an engine without files.
    func fileEngine(for location: StoreLocation) throws(StoreError) -> any FileStore.Type {
        if let engine = engine as? any FileStore.Type { return engine }
        throw .unsupported(
            location, feature: "no files", advice: "Ask only engines that keep files for them.")
    }

    /// The engine's own.
    public func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore {
        try engine.open(request)
    }
}
