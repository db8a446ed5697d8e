/// A mistake of the person who uses a program.
public struct ProgramFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
