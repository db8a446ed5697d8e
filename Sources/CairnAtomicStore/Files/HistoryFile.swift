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
    /// The end of the log after the last append of this object.
    private struct End {
        let newest: HistoryPosition
        let offset: Int
        let stamp: FileStamp
    }

    private static let mark = Array("CairnHistory 1\r\n".utf8)

    private let file: DurableFile
    private let store: DurableFile
    private let known = Mutex<End?>(nil)

    init(of store: DurableFile) {
        file = DurableFile(companion: Self.path(of: store.path))
        self.store = store
    }

    static func path(of store: String) -> String { store + "-history" }

    /// Returns the history up to the newest transaction. Without that transaction, which a file that
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
        let bytes = try StoreError.onFiles(try readAll()) ?? []
        var list = HistoryList()
        for (transaction, _) in Self.entries(of: bytes, codec) {
            list.append(transaction)
            if transaction.position == newest { return list }
        }
        return HistoryList(after: newest)
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
            try append(added, after: newest, codec)
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
        _ codec: HistoryCodec
    ) throws(StoreError) -> Bool {
        guard let end = try StoreError.onFiles(try end(of: newest, codec)) else { return false }
        let frames = Self.frames(of: added, codec)
        do {
            let log = try HeldFile(companion: file.path, O_RDWR)
            try log.setByteCount(Int64(end))
            try log.write(frames, at: Int64(end))
            try log.synchronize()
            let stamp = try log.stamp()
            known.withLock {
                $0 = End(
                    newest: added.last?.position ?? newest, offset: end + frames.count,
                    stamp: stamp)
            }
        } catch {
            throw .fileFailure(error)
        }
        return true
    }

    /// Returns the offset at which a transaction ends, or `nil` if the log does not have it. Reads the
    /// log unless this object has written it last.
    private func end(
        of newest: HistoryPosition, _ codec: HistoryCodec
    ) throws(FileFailure) -> Int? {
        if let known = known.withLock({ $0 }), known.newest == newest,
            try file.stamp() == known.stamp
        {
            return known.offset
        }
        return Self.entries(of: try readAll() ?? [], codec)
            .last { $0.transaction.position == newest }?.end
    }

    /// Returns `nil` if there is no log.
    private func readAll() throws(FileFailure) -> [UInt8]? {
        do {
            return try file.hold().readAll()
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
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

    /// Returns the transactions of a log, each with the offset at which its frame ends. The first
    /// damaged or incomplete frame ends them.
    private static func entries(
        of bytes: [UInt8], _ codec: HistoryCodec
    ) -> [(transaction: PersistentHistoryTransaction, end: Int)] {
        guard bytes.starts(with: mark) else { return [] }
        var end = mark.count
        var entries: [(transaction: PersistentHistoryTransaction, end: Int)] = []
        for content in RecordFile.contents(of: Array(bytes.dropFirst(mark.count))).contents {
            guard let transaction = content.withUnsafeBytes({ codec.decode($0) }) else { break }
            end += RecordFile.frameByteCount + content.count
            entries.append((transaction, end))
        }
        return entries
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
            // The next save writes the position.
            if try request.options.tracksHistory() { history = HistoryList() }
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
            guard let number = reader.integer(Int64.self), number >= 0,
                let mark = reader.integer(UInt64.self), reader.rest == 0
            else { return nil }
            return (number, mark)
        }
        guard let numbers else { return nil }
        self.init(number: numbers.0, mark: numbers.1)
    }
}
