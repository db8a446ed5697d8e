/// The operation that a request asks for. It is the first byte of the request.
package enum SocketOperation: UInt8, Sendable, Hashable, CaseIterable {
    case open = 1
    case metadata, snapshot, newestGeneration, outcome, close
    case fetch, count, rows, relatedIDs, related, changes, externalData
    case beginSave, reserveKeys, prepare, commit, rollback
}
