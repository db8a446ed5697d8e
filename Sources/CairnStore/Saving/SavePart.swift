/// What a request is within a save that is too large for one request.
public struct SavePart: Sendable, Hashable {
    /// Whether the request is the first part of its save.
    public let isFirst: Bool
    /// About how many bytes the rows of this part and of those after it have. An engine that must
    /// make room before it writes can do so when it gets the first part.
    public let remainingByteCount: Int

    package init(isFirst: Bool, remainingByteCount: Int) {
        self.isFirst = isFirst
        self.remainingByteCount = remainingByteCount
    }
}
