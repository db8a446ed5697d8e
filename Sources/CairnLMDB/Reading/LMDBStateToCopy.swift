import CairnFiles
import CairnStore
import Foundation

/// A state of an LMDB store whose pages are copied from the file.
///
/// While the snapshot is held, saves do not overwrite the pages of its state. All other pages of the copy are
/// free in that state, so their content does not matter. The meta pages are overwritten by later saves, so they
/// are read as soon as the snapshot is taken.
final class LMDBStateToCopy: StateToCopy {
    private let snapshot: LMDBSnapshot
    private let file: HeldFile
    private let meta: FileMeta
    /// The bytes of the state's meta page.
    private let metaPage: [UInt8]

    /// The number of bytes that are copied between two reports.
    private static let stepByteCount = 8 << 20

    /// Returns `nil` if later saves have overwritten the meta page of the snapshot's state.
    ///
    /// - Throws: `.fileReplaced`, `.fileFailure` or `.engineFailure`.
    init?(_ snapshot: LMDBSnapshot, of environment: LMDBEnvironment) throws(StoreError) {
        // LMDB's locks are on another file, so closing a descriptor of this file releases none.
        file = try StoreError.onFiles(
            try HeldFile(opening: environment.path, O_RDONLY | O_NONBLOCK))
        guard try StoreError.onFiles(try file.stamp()).identity == environment.identity else {
            throw .fileReplaced(environment.location, path: environment.path)
        }
        guard
            let found = try Self.metaPage(of: snapshot.generation.rawValue, in: file),
            // A page that was being written during the first read is different now.
            let again = try Self.metaPage(of: snapshot.generation.rawValue, in: file),
            found.bytes == again.bytes
        else { return nil }
        self.snapshot = snapshot
        (meta, metaPage) = found
    }

    private static func metaPage(
        of transaction: UInt64, in file: HeldFile
    ) throws(StoreError) -> (FileMeta, bytes: [UInt8])? {
        let beginning = try StoreError.onFiles(try file.read(FileMeta.byteCount, at: 0))
        guard let size = FileMeta(beginning)?.pageByteCount else { return nil }
        for offset in [0, size] {
            let bytes = try StoreError.onFiles(try file.read(size, at: Int64(offset)))
            if let meta = FileMeta(bytes), meta.transaction == transaction { return (meta, bytes) }
        }
        return nil
    }

    var byteCount: Int64 { Int64(meta.byteCount) }

    func write(
        to location: StoreLocation, reporting report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        let path = try LMDBOpening.fileURL(of: location).path
        let copy = try StoreError.onFiles(
            try HeldFile(opening: path, O_RDWR | O_CREAT | O_EXCL))
        do {
            try writePages(to: copy, report)
            try snapshot.read { _ in }
        } catch {
            unlink(path)
            throw error
        }
    }

    private func writePages(
        to copy: HeldFile, _ report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        var done: Int64 = 0
        while done < byteCount {
            try snapshot.read { _ in }
            let rest = Int(min(byteCount - done, Int64(Self.stepByteCount)))
            let count = try StoreError.onFiles(try file.copy(atMost: rest, at: done, to: copy))
            // Free pages at the end of the file may be missing.
            if count == 0 { break }
            done += Int64(count)
            try report(done)
        }
        try StoreError.onFiles(try copy.setByteCount(byteCount))
        // Both meta pages are those of the state, so that it does not matter which one is read.
        for page in 0..<2 {
            let number = withUnsafeBytes(of: UInt64(page).littleEndian) { Array($0) }
            try StoreError.onFiles(
                try copy.write(
                    number + metaPage.dropFirst(number.count),
                    at: Int64(page * meta.pageByteCount)))
        }
    }
}
