import ArgumentParser

/// A failure of the tool itself, in words for the user.
struct ToolFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
