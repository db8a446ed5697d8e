/// A mistake of the person who uses a program.
public struct ProgramFailure: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String

    /// Creates a failure.
    public init(_ description: String) { self.description = description }
}
