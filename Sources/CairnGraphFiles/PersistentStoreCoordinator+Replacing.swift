import CairnStack
import CairnStore
import CairnStoreCopying
import Foundation

extension PersistentStoreCoordinator {
    /// Replaces a store with a copy of another store, including its external values. If there is no
    /// store at the destination, creates the copy there. The source is not changed. Use this to restore
    /// a backup, or to install a store that comes with a program.
    ///
    /// Files are copied unchanged, so the copy has the source's identifier, and one coordinator cannot
    /// have both. The copy is created and checked in a hidden folder next to the destination, and a
    /// single rename then moves it to the destination. A crash leaves either the old or the new store
    /// complete, and possibly the hidden folder. If a store is itself a folder, the old store may then
    /// be in the hidden folder.
    ///
    /// - Parameters:
    ///   - destination: The store to replace or create. Its folder must exist.
    ///   - destinationOptions: The options of the destination. They are checked as in
    ///     `addPersistentStore`.
    ///   - source: The store to copy. It may be on a read-only medium.
    ///   - sourceOptions: The options of the source. They are checked as in `addPersistentStore`.
    ///   - type: The type of both stores.
    /// - Throws: `.storeAlreadyAdded` if one of the stores is in this coordinator; `.storesAreNotFiles`;
    ///   `.copyOntoItself` if both are the same store; `.store` with `.locked` if one of them is open in
    ///   another coordinator or process, `.notFound`, `.notAStore`, `.folderMissing`, `.corrupt` for a
    ///   damaged source, `.readOnly`, `.invalidOption`, or `.fileFailure`. The destination is then
    ///   unchanged, unless the rename succeeded and could not be made durable.
    public func replacePersistentStore(
        at destination: URL, destinationOptions: StoreOptions = [:],
        withPersistentStoreFrom source: URL, sourceOptions: StoreOptions = [:], type: StoreType
    ) throws(GraphError) {
        let (source, destination) = (
            source.resolvedForComparison, destination.resolvedForComparison
        )
        for url in [source, destination] { try requireNotAdded(url) }
        guard source != destination else {
            throw .copyOntoItself(.file(source))
        }
        do throws(StoreCopyError) {
            let engine = try fileEngine(ofType: type)
            try Self.check(sourceOptions, for: engine)
            if try Self.check(destinationOptions, for: engine).isReadOnly {
                throw .store(.readOnly(.file(destination)))
            }
            try ClosedStore(engine, ofType: type, at: destination)
                .replace(withCopyOf: ClosedStore(engine, ofType: type, at: source))
        } catch {
            throw self.error(ofCopy: error)
        }
    }

    @discardableResult
    private static func check(
        _ options: StoreOptions, for engine: any PersistentStore.Type
    ) throws(StoreCopyError) -> CoordinatorOptions {
        do throws(StoreError) {
            let known = engine.capabilities.options
            let options = try CoordinatorOptions(options)
            try options.engineOptions.requireKnown(known, by: "\(engine.type)")
            return options
        } catch {
            throw .store(error)
        }
    }
}
