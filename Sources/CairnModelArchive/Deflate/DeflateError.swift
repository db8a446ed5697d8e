/// The reason that bytes could not be decompressed.
enum DeflateError: Error, Equatable {
    /// The stream is invalid at this offset.
    case damaged(offset: Int, detail: String)
    /// The stream decompresses to more bytes than this limit.
    case tooLarge(limit: Int)
}
