/// A reason that the harness itself cannot go on. Never a finding about an engine.
struct HarnessFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
