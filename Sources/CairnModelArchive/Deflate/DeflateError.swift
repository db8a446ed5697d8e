/// Why bytes could not be unpacked.
enum DeflateError: Error, Equatable {
    /// The stream contradicts itself at this offset.
    case damaged(offset: Int, detail: String)
    /// The stream unpacks to more than this many bytes.
    case tooLarge(limit: Int)
}
