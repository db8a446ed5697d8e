import CairnFiles
import CairnStore
import Foundation

extension ClosedStore {
    /// Puts a copy of another store in the place of this one, or where none is; the source stays.
    ///
    /// Files are copied as they are. The copy is made and checked in a hidden folder beside this store;
    /// then one rename puts it in place. A crash leaves the old store or the new one whole, and maybe
    /// the hidden folder; where a store is a folder itself, the old one may then be in there.
    ///
    /// - Parameter source: another store of the same engine; may be on a medium that is read-only.
    /// - Throws: `.destinationExists` if another process made a store here meanwhile; `.store`:
    ///   `.locked` if one of them is open, `.notFound`, `.notAStore`, `.folderMissing`, `.corrupt` for
    ///   a damaged source, `.unsupported`, `.fileFailure`. This store is as it was, unless the failure
    ///   is one to make the rename durable.
    package func replace(withCopyOf source: ClosedStore) throws(StoreCopyError) {
        try StoreCopyError.translating { () throws(StoreError) in
            _ = try engine.metadata(at: source.location)
            if url.isThere { try requireStore() } else { try location.requireFolder() }
        }
        let place = try StorePlacement(of: location, engine, replacing: engine)
        defer { place.discard() }
        try StoreCopyError.translating { () throws(StoreError) in
            try source.copyFiles(to: place.temporary)
        }
        try place.putInPlace()
    }

    /// Copies the main file, which need not be durable, and links the files of large values.
    ///
    /// - Precondition: the caller has the exclusive use of the store.
    /// - Throws: `.fileFailure`.
    func duplicateFiles(at location: StoreLocation) throws(StoreError) {
        guard let made = location.fileURL else { return }
        let (old, new) = (files, StoreFileSet(engine, at: made))
        try StoreError.translating { () throws(FileFailure) in
            try FileTree(old.main).copy(to: new.main, synchronizes: false)
            _ = try old.linkData(to: new)
        }
    }

    /// Copies a store that nobody has open, and leaves the copy in its main file and folders.
    private func copyFiles(to temporary: StoreLocation) throws(StoreError) {
        guard let made = temporary.fileURL else { return }
        let (old, new) = (files, StoreFileSet(engine, at: made))
        try engine.withSettledUse(of: location) { () throws(StoreError) in
            try StoreError.translating { () throws(FileFailure) in
                for (from, to) in zip([old.main] + old.data, [new.main] + new.data)
                where from.isThere {
                    try FileTree(from).copy(to: to)
                }
            }
        }
        // A log came along where it could not be brought over in the source's place.
        try engine.withExclusiveUse(of: temporary) { () throws(StoreError) in }
        _ = try engine.metadata(at: temporary)
    }
}
