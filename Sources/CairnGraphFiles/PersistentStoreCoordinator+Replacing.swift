import CairnGraph
import CairnStore
import CairnStoreCopying
import Foundation

extension PersistentStoreCoordinator {
    /// Puts a copy of a store, with its external values, in the place of another one, or where none
    /// is; the source stays. What a backup or a store that comes with a program is restored by.
    ///
    /// Files are copied as they are, so the copy has the source's identifier: one coordinator
    /// cannot hold both. The copy is made and checked in a hidden folder beside the destination; then
    /// one rename puts it in place. A crash leaves the old store or the new one whole, and maybe
    /// the hidden folder; where a store is a folder itself, the old one may then be in there.
    ///
    /// - Parameters:
    ///   - destination: its folder must be there.
    ///   - destinationOptions: as `addPersistentStore` takes them, and checked as there.
    ///   - source: may be on a medium that is read-only.
    ///   - sourceOptions: as `destinationOptions`.
    ///   - type: the engine of both.
    /// - Throws: `.storeAlreadyAdded` while one of them is in this coordinator; `.keepsNoFiles`;
    ///   `.copyOntoItself` where both are one; `.store`: `.locked` where one of them is open in
    ///   another coordinator or process, `.notFound`, `.notAStore`, `.folderMissing`, `.corrupt`
    ///   for a damaged source, `.readOnly`, `.invalidOption`, `.fileFailure`. The destination is as
    ///   it was, unless the failure is one to make the rename durable.
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
        let engine = try fileEngine(ofType: type)
        try GraphError.translating { () throws(StoreError) in
            for options in [sourceOptions, destinationOptions] {
                try Self.check(options, for: engine)
            }
            if try CoordinatorOptions(destinationOptions).isReadOnly {
                throw .readOnly(.file(destination))
            }
        }
        try translating { () throws(StoreCopyError) in
            try ClosedStore(engine, ofType: type, at: destination)
                .replace(withCopyOf: ClosedStore(engine, ofType: type, at: source))
        }
    }

    private static func check(
        _ options: StoreOptions, for engine: any PersistentStore.Type
    ) throws(StoreError) {
        let known = engine.capabilities.options
        for option in try CoordinatorOptions(options).engineOptions.keys
        where !known.contains(option) {
            throw .invalidOption(option, detail: "\(engine.type) has no such option")
        }
    }
}
