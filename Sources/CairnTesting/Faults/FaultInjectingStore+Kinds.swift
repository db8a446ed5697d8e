import Cairn

// The wrapped engine's optional protocols. Calls that need no open store always reach the engine.

extension FaultInjectingStore: FileStore where Base: FileStore {
    /// The description of the wrapped engine's files.
    public static var fileDescription: String { Base.fileDescription }

    /// Returns whether the wrapped engine recognizes the file.
    public static func recognizes(_ location: StoreLocation) -> Bool { Base.recognizes(location) }

    /// Reads the metadata of a store as the wrapped engine does.
    public static func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        try Base.metadata(at: location)
    }

    /// Reads the model of a store as the wrapped engine does.
    public static func model(at location: StoreLocation) throws(StoreError) -> ModelDescription? {
        try Base.model(at: location)
    }

    /// Infers a model as the wrapped engine does.
    public static func derivedModel(
        at location: StoreLocation
    ) throws(StoreError) -> ModelDescription? {
        try Base.derivedModel(at: location)
    }

    /// Counts rows as the wrapped engine does.
    public static func entityCounts(
        at location: StoreLocation
    ) throws(StoreError) -> [String: Int] {
        try Base.entityCounts(at: location)
    }

    /// Returns the companion files of the wrapped engine.
    public static func companionFiles(of location: StoreLocation) -> [StoreFile] {
        Base.companionFiles(of: location)
    }

    /// Runs a body with exclusive use as the wrapped engine does.
    public static func withExclusiveUse<Result>(
        of location: StoreLocation, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Base.withExclusiveUse(of: location, body)
    }
}

extension FaultInjectingStore: InPlaceMigratingStore where Base: InPlaceMigratingStore {
    /// Returns the steps of the wrapped engine.
    public static func stepsInPlace(
        _ changes: ModelCorrespondence, configuration: String?
    ) -> [String]? {
        Base.stepsInPlace(changes, configuration: configuration)
    }

    /// Migrates a store as the wrapped engine does.
    public static func migrateInPlace(
        _ request: OpenRequest, _ changes: ModelCorrespondence
    ) throws(StoreError) -> Bool {
        try Base.migrateInPlace(request.withoutFaults, changes)
    }
}

extension FaultInjectingStore: SelfCheckingStore where Base: SelfCheckingStore {
    /// Returns the size of the wrapped store.
    public func byteCount() throws(StoreError) -> Int? { try base.byteCount() }

    /// Returns the problems that the wrapped store finds.
    public func findDisagreements() throws(StoreError) -> [StoreDisagreement] {
        try base.findDisagreements()
    }
}

extension FaultInjectingStore: ReferencingStore where Base: ReferencingStore {
    /// The references of the wrapped store.
    public var references: StoreReferences { base.references }
}
