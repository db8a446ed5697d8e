import CairnModel
import CairnStore
import Foundation

/// Copies a store to a new file, any engine to any engine.
///
/// The copy holds one state of the source: every object with its key and version, every
/// relationship with its order, the model, and the application's values of the metadata. Its
/// identifier is a new one. Attributes that the destination derives are computed again, `now()` to
/// the time of the copy. A history of transactions stays behind.
///
/// All or nothing: the copy is made in a hidden folder beside the destination and put in place when
/// it is complete and durable. A crash can leave that folder, never half of a store.
///
/// In memory are some megabytes of rows at a time, the members of 256 owners of a to-many, and what
/// the engines hold themselves: an atomic one the whole store, and once more while it is saved.
public struct StoreCopier: Sendable {
    /// The engine that the copy is for: one that keeps files.
    public var engine: any PersistentStore.Type
    /// Settings for that engine.
    public var options: StoreOptions
    /// The engine of a store to be replaced. `nil` if a store that is there is refused.
    ///
    /// Nobody may have that store open. It is put aside as the copy is put in place, and back where
    /// that fails; a crash in between leaves it in the hidden folder.
    public var replacedEngine: (any FileStore.Type)?
    /// Whether a value whose file is missing becomes nil in the copy, instead of ending it. The
    /// default is `false`.
    public var allowsMissingExternalData = false

    /// The version of the model that the copy has. `nil` means that of the source.
    ///
    /// What becomes of each entity and property is inferred from the two versions.
    public var model: ManagedObjectModel?

    /// A copier to new stores of the engine, with no options unless given.
    public init(
        to engine: any PersistentStore.Type, options: StoreOptions = [:],
        replacing replacedEngine: (any FileStore.Type)? = nil
    ) {
        self.engine = engine
        self.options = options
        self.replacedEngine = replacedEngine
    }

    /// Copies the newest state of the source. Saves to the source meanwhile do not come along.
    ///
    /// - Parameters:
    ///   - location: a file; its folder must be there.
    ///   - report: told after each batch, on the calling thread; decides whether to go on.
    /// - Returns: how much was copied.
    /// - Throws: `.cancelled`, `.destinationExists`; `.wouldNotLast`, `.keepsNoFiles`, `.ontoItself`;
    ///   `.model`; `.store`: `.unsupportedValue` for a value that the engine does not keep,
    ///   `.externalDataMissing` for a value whose file is not there unless ``allowsMissingExternalData``
    ///   is set, `.migrationRefused`, and what either engine's `open`, reads and saves throw. The destination is as it was.
    package func makeCopy(
        of source: any PersistentStore, at location: StoreLocation,
        reporting report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> StoreCopyProgress {
        if let model {
            let verdict = InferenceVerdict(from: source.request.model, to: model)
            guard verdict.isPossible else {
                throw .store(
                    .migrationRefused(source.request.location, findings: verdict.refusals))
            }
        }
        let location = location.resolvedForComparison
        let engine = try checkedEngine(for: source, location)
        let place = try StorePlacement(of: location, engine, replacing: replacedEngine)
        defer { place.discard() }
        let result = try fill(place.temporary, from: source, for: location, report)
        try place.putInPlace()
        return result
    }

    private func checkedEngine(
        for source: any PersistentStore, _ location: StoreLocation
    ) throws(StoreCopyError) -> any FileStore.Type {
        guard let engine = engine as? any FileStore.Type else {
            let isDurable = engine.capabilities.isDurable
            throw isDurable ? .keepsNoFiles(engine.type) : .wouldNotLast(engine.type)
        }
        guard source.request.location.resolvedForComparison != location else {
            throw .ontoItself(location)
        }
        return engine
    }

    /// Makes and closes the copy in its temporary place.
    private func fill(
        _ temporary: StoreLocation, from source: any PersistentStore, for location: StoreLocation,
        _ report: (StoreCopyProgress) -> StoreCopyDecision
    ) throws(StoreCopyError) -> StoreCopyProgress {
        var request = source.request
        if let model {
            request = OpenRequest(
                location: temporary, model: model, configuration: request.configuration(in: model))
        }
        request.location = temporary
        request.isReadOnly = false
        request.createsMissing = true
        request.options = options
        let copy = try StoreCopyError.translating { () throws(StoreError) in
            try engine.open(request)
        }
        let outcome = Result { () throws(StoreCopyError) in
            var filling = try StoreFilling(
                of: copy, from: source, for: location,
                allowsMissingExternalData: allowsMissingExternalData)
            return try filling.run(report)
        }
        // What went wrong first is the reason.
        let closing = Result { () throws(StoreError) in try copy.close() }
        let progress = try outcome.get()
        try StoreCopyError.translating { () throws(StoreError) in try closing.get() }
        return progress
    }
}
