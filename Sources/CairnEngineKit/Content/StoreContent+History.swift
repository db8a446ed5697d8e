import CairnModel
import CairnRows
import CairnStore
import Foundation

extension StoreContent {
    /// The codec for the store's history.
    package var historyCodec: HistoryCodec {
        HistoryCodec(layouts.model, store: number, storeID: metadata.identifier)
    }

    /// Returns the transaction that a save adds to the history. Returns `nil` if the store keeps no
    /// history, or if the save changes no object.
    ///
    /// - Precondition: the content is the state before the save.
    func historyTransaction(of request: SaveRequest) -> PersistentHistoryTransaction? {
        guard let history else { return nil }
        var recorder = HistoryRecorder(layouts)
        return recorder.transaction(
            of: request, after: history.newest, storeID: metadata.identifier
        ) { table.row(root: $0.rootEntity, key: $0.key) }
    }

    /// Adds the fields of a save to its record.
    func describeHistory(_ request: SaveRequest, in record: inout ChangeRecord) {
        if let position = request.purgesHistoryBefore {
            record[.purgedBefore] = .array([
                .integer(position.number), .integer(Int64(bitPattern: position.mark)),
            ])
        } else if let added = request.addedHistory {
            record[.history] = .array(added.map { .data(Data(historyCodec.encode($0))) })
        } else if let newest = history?.last {
            record[.history] = .data(Data(historyCodec.encode(newest)))
        }
    }

    /// Applies the fields of a record. Returns `false` if they are damaged.
    mutating func applyHistory(of record: ChangeRecord) -> Bool {
        let own = record[.history]?.data
        if own != nil { history = history ?? HistoryList() }
        for bytes in own.map({ [$0] }) ?? record.list(.history).compactMap(\.data)
        where !bytes.isEmpty {
            guard let transaction = bytes.withUnsafeBytes({ historyCodec.decode($0) }) else {
                return false
            }
            history?.append(transaction)
        }
        let position = record.list(.purgedBefore).compactMap(\.integer)
        if position.count == 2 {
            history?.purge(
                before: HistoryPosition(
                    number: position[0], mark: UInt64(bitPattern: position[1])))
        }
        return true
    }
}
