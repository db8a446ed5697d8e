import CairnEngineKit
import CairnFiles
import CairnRows
import CairnStore
import Foundation
import Synchronization

/// The history of a store that is written as a whole: a log beside the store's file.
///
///     0       the mark, 16 bytes
///     16      a frame for each transaction, as in a `RecordFile`
///
/// A save appends its transaction and makes it durable before it replaces the store's file, which
/// contains the position of the newest transaction. Transactions after that position belong to saves
/// that did not take place. They are ignored, and the next save cuts them off. The log is written
/// while the store's ``StoreLock`` is held.
final class HistoryFile: Sendable {
    /// The beginning of the log, as this object read or wrote it last. It ends with the newest transaction of
    /// a store's file, which no save cuts off.
    private struct Beginning {
        let history: HistoryList
        /// The offset of the newest transaction's frame.
        let start: Int
        let end: Int
        let identity: FileIdentity
    }

    private static let mark = Array("CairnHistory 1\r\n".utf8)

    private let file: DurableFile
    private let store: DurableFile
    private let known = Mutex<Beginning?>(nil)

    init(of store: DurableFile) {
        file = DurableFile(companion: Self.path(of: store.path))
        self.store = store
    }

    static func path(of store: String) -> String { store + "-history" }

    /// Returns the history up to the newest transaction. Reads only what others have appended since this
    /// object last read or wrote the log. Without that transaction, which a file that
    /// was copied without its log lacks, the history begins after it.
    ///
    /// - Parameters:
    ///   - newest: the position in the store's file, or `nil` if there has been no transaction.
    ///   - codec: the codec of the store.
    /// - Throws: `.fileFailure`.
    func read(upTo newest: HistoryPosition?, _ codec: HistoryCodec) throws(StoreError)
        -> HistoryList
    {
        guard let newest else { return HistoryList() }
        let found = try StoreError.onFiles(try find(newest, codec))
        return found?.history ?? HistoryList(after: newest)
    }

    /// Returns the beginning of the log up to a transaction, or `nil` if the log does not have it.
    private func find(
        _ newest: HistoryPosition, _ codec: HistoryCodec
    ) throws(FileFailure) -> Beginning? {
        let log: HeldFile
        do {
            log = try file.hold()
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
        let stamp = try log.stamp()
        if let known = known.withLock({ $0 }), known.identity == stamp.identity,
            known.end <= stamp.byteCount
        {
            let rest = try log.read(Int(stamp.byteCount) - known.start, at: Int64(known.start))
            if let found = Self.continued(known, with: rest, upTo: newest, codec) {
                self.known.withLock { $0 = found }
                return found
            }
        }
        let bytes = try log.readAll()
        guard bytes.starts(with: Self.mark) else { return nil }
        let empty = Beginning(
            history: HistoryList(), start: Self.mark.count, end: Self.mark.count,
            identity: stamp.identity)
        let found = Self.continued(
            empty, with: Array(bytes.dropFirst(Self.mark.count)), upTo: newest, codec)
        if let found { known.withLock { $0 = found } }
        return found
    }

    /// Returns the beginning with the transactions up to a given one. Returns `nil` if that one is not among
    /// them. The first damaged or incomplete frame ends them.
    ///
    /// - Parameter rest: The bytes of the log from the frame of the beginning's newest transaction on. If another
    ///   program has written the log again, and the system has given it the same identity, the frame is not
    ///   there.
    private static func continued(
        _ beginning: Beginning, with rest: [UInt8], upTo newest: HistoryPosition,
        _ codec: HistoryCodec
    ) -> Beginning? {
        var (history, start) = (beginning.history, beginning.start)
        var isFirst = history.newest != nil
        for content in RecordFile.contents(of: rest).contents {
            guard let transaction = content.withUnsafeBytes({ codec.decode($0) }),
                !isFirst || transaction.position == history.newest
            else { return nil }
            if !isFirst { history.append(transaction) }
            isFirst = false
            let end = start + RecordFile.frameByteCount + content.count
            if transaction.position == newest {
                return Beginning(
                    history: history, start: start, end: end, identity: beginning.identity)
            }
            start = end
        }
        return nil
    }

    /// Writes the newest transactions of a history durably, before the store's file is replaced.
    ///
    /// - Parameters:
    ///   - history: the history with the save's transaction.
    ///   - base: the history according to the store's file, or `nil` if the store had none.
    /// - Precondition: the caller holds the lock for saving.
    /// - Throws: `.fileFailure`.
    func write(
        _ history: HistoryList, after base: HistoryList?, _ codec: HistoryCodec
    ) throws(StoreError) {
        if history.newest == base?.newest, history.oldest == base?.oldest { return }
        if history.oldest == base?.oldest, let newest = base?.newest,
            let added = try? history.transactions(after: newest, limit: .max),
            try append(added, after: newest, history, codec)
        {
            return
        }
        try writeAll(of: history, codec)
    }

    /// Replaces the log with one that has the whole history.
    ///
    /// - Throws: `.fileFailure`.
    func writeAll(of history: HistoryList, _ codec: HistoryCodec) throws(StoreError) {
        let content = Self.mark + Self.frames(of: history.transactions, codec)
        do {
            try file.prepare(content, modeOf: store.path).replace()
            try file.synchronizeFolder()
        } catch {
            throw .fileFailure(error)
        }
    }

    /// Appends transactions after the one at a position, and cuts off any others. Returns `false` if
    /// the log does not have that position.
    private func append(
        _ added: [PersistentHistoryTransaction], after newest: HistoryPosition,
        _ history: HistoryList, _ codec: HistoryCodec
    ) throws(StoreError) -> Bool {
        guard let end = try StoreError.onFiles(try find(newest, codec))?.end else { return false }
        let frames = Self.frames(of: added, codec)
        do {
            let log = try HeldFile(companion: file.path, O_RDWR)
            try log.setByteCount(Int64(end))
            try log.write(frames, at: Int64(end))
            try log.synchronize()
            let identity = try log.stamp().identity
            let last = added.last.map { Self.frames(of: [$0], codec).count } ?? 0
            known.withLock {
                $0 = Beginning(
                    history: history, start: end + frames.count - last, end: end + frames.count,
                    identity: identity)
            }
        } catch {
            throw .fileFailure(error)
        }
        return true
    }

    /// Whether there are temporary files of processes that died while they wrote the log, or are
    /// writing it now.
    var hasLeftovers: Bool { file.hasLeftovers }

    /// Removes the temporary files of processes that died while they wrote the log.
    func removeLeftovers() { file.settleLeftovers() }

    private static func frames(
        of transactions: [PersistentHistoryTransaction], _ codec: HistoryCodec
    ) -> [UInt8] {
        transactions.flatMap { RecordFile.frame(codec.encode($0)) }
    }
}

extension AtomicFile {
    /// Writes the newest transactions of a content's history before the file is replaced.
    ///
    /// - Throws: `.fileFailure`.
    func writeHistory(of next: StoreContent, after base: StoreContent) throws(StoreError) {
        guard let history = next.history else { return }
        try historyFile.write(history, after: base.history, next.historyCodec)
    }

    /// Writes the log for a new copy of the store, if the store keeps a history.
    ///
    /// - Throws: `.fileFailure`.
    func writeHistory(
        of content: StoreContent, besideNew location: StoreLocation
    ) throws(StoreError) {
        guard let history = content.history, let url = location.fileURL else { return }
        try HistoryFile(of: DurableFile(url)).writeAll(of: history, content.historyCodec)
    }
}

/// A store that is written as a whole keeps the position of its newest transaction as a value of its
/// metadata, like its ``SaveRecord``.
extension StoreMetadata {
    /// The name of the value. If an application sets a value with this name, it is lost.
    static let historyName = "CairnHistory"
}

extension StoreContent {
    /// Returns the value of the metadata for the position of the newest transaction: the number and
    /// the mark. Both are 0 if there has been no transaction.
    var historyInMetadata: MetadataValue? {
        history.map { history in
            let newest = history.newest
            let numbers = [UInt64(bitPattern: newest?.number ?? 0), newest?.mark ?? 0]
            return .data(numbers.map(\.littleEndian).withUnsafeBytes { Data($0) })
        }
    }

    /// Moves the position out of the metadata that a form has read, and reads the log.
    ///
    /// - Throws: `.corrupt`, `.fileFailure`.
    mutating func takeHistory(
        from file: HistoryFile, _ request: OpenRequest
    ) throws(StoreError) {
        let name = StoreMetadata.historyName
        guard let value = metadata.values.removeValue(forKey: name) else {
            // The next save writes the position. A store that cannot be changed has no history.
            if try request.options.tracksHistory(), !request.isReadOnly { history = HistoryList() }
            return
        }
        guard case .data(let data) = value, let newest = HistoryPosition(data) else {
            throw .corrupt(
                request.location, location: "the metadata “\(name)”",
                detail: "it is not a position in the history")
        }
        history = try file.read(upTo: newest.number == 0 ? nil : newest, historyCodec)
    }
}

extension HistoryPosition {
    /// Returns `nil` if the bytes are not a number and a mark.
    fileprivate init?(_ data: Data) {
        let numbers = data.withUnsafeBytes { bytes -> (Int64, UInt64)? in
            var reader = ByteReader(bytes)
            guard let number = reader.integer(Int64.self),
                (0...HistoryPosition.mostNumber).contains(number),
                let mark = reader.integer(UInt64.self), reader.rest == 0
            else { return nil }
            return (number, mark)
        }
        guard let numbers else { return nil }
        self.init(number: numbers.0, mark: numbers.1)
    }
}
