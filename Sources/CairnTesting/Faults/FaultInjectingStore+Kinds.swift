import Cairn
import CairnStore
import Foundation

// Optional capabilities of the wrapped engine. Calls that need no open store are always passed on.

extension FaultInjectingStore: FileStore where Base: FileStore {
    /// The description of the wrapped engine's files.
    package static var fileDescription: String { Base.fileDescription }

    /// Returns whether the wrapped engine recognizes the file at a location.
    package static func recognizes(_ location: StoreLocation) -> Bool { Base.recognizes(location) }

    /// Returns the metadata of a store, which the wrapped engine reads.
    package static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try Base.metadata(at: location)
    }

    /// Returns the model of a store, which the wrapped engine reads.
    package static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try Base.model(at: location)
    }

    /// Returns the model that the wrapped engine infers from a store.
    package static func derivedModel(
        at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? {
        try Base.derivedModel(at: location)
    }

    /// Returns the numbers of rows, which the wrapped engine counts.
    package static func entityCounts(
        at location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        try Base.entityCounts(at: location)
    }

    /// Returns the companion files of a store of the wrapped engine.
    package static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        Base.companionFiles(of: location)
    }

    /// Calls a closure while the wrapped engine has exclusive use of a store.
    package static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Base.withExclusiveUse(of: location, body)
    }
}

extension FaultInjectingStore: InPlaceMigratingStore where Base: InPlaceMigratingStore {
    /// Returns the steps of a migration in place by the wrapped engine.
    package static func stepsInPlace(
        _ changes: ModelCorrespondence, configuration: String?
    ) -> [String]? {
        Base.stepsInPlace(changes, configuration: configuration)
    }

    /// Migrates a store in place with the wrapped engine.
    package static func migrateInPlace(
        _ request: OpenRequest, _ changes: ModelCorrespondence
    ) throws(StoreError) -> Bool {
        try Base.migrateInPlace(request.withoutFaults, changes)
    }
}

extension FaultInjectingStore: ExternalDataStore where Base: ExternalDataStore {
    package static func sharedFolder(
        of location: StoreLocation, except leaving: URL?
    ) -> (shared: URL, own: URL)? {
        Base.sharedFolder(of: location, except: leaving)
    }

    package static func externalNames(
        at location: StoreLocation
    ) throws(StoreError) -> (all: Set<String>, removable: Set<String>) {
        try Base.externalNames(at: location)
    }

    package func unnamedFiles() throws(StoreError) -> [URL] { try base.unnamedFiles() }
}

extension FaultInjectingStore: SelfCheckingStore where Base: SelfCheckingStore {
    /// Returns the size of the wrapped store.
    package func byteCount() throws(StoreError) -> Int? { try base.byteCount() }

    /// Returns the disagreements that the wrapped store finds.
    package func findDisagreements() throws(StoreError) -> [StoreDisagreement] {
        try base.findDisagreements()
    }

    /// Returns the values that the wrapped store cannot explain.
    package func findUnexplainedValues() throws(StoreError) -> [StoreDisagreement] {
        try base.findUnexplainedValues()
    }
}
