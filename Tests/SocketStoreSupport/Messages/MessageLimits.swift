/// The maximum sizes of messages, which limit the memory of both sides.
enum MessageLimits {
    /// The maximum size of a request in bytes. A save with more rows is refused.
    static let request = 64 << 20
    /// The maximum size of an answer in bytes.
    static let answer = 128 << 20
    /// The size in bytes at which the server ends an answer with many rows. The client requests the rest.
    static let usualAnswer = 4 << 20
    /// The number of rows after which the server checks the size of an answer.
    static let rowsBetweenLooks = 256
}
