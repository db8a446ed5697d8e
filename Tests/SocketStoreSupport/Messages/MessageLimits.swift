/// How many bytes messages may have, so that the memory of both sides is bounded.
enum MessageLimits {
    /// The most bytes of a request: a save whose rows need more is refused.
    static let request = 64 << 20
    /// The most bytes of an answer.
    static let answer = 128 << 20
    /// The server ends an answer of many rows once it has this many bytes. The client asks again for
    /// the rest.
    static let usualAnswer = 4 << 20
    /// How many rows the server reads between two looks at the length of an answer.
    static let rowsBetweenLooks = 256
}
