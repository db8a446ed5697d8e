/// A reason for which the harness itself cannot continue. Never a finding about an engine.
struct HarnessFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
