/// A key path that begins at a variable: `$FETCH_SOURCE.mentor.name`.
package struct VariablePath: Sendable, Hashable {
    /// The variable, without the dollar sign.
    package let variable: String
    /// The names after it; not empty.
    package let names: [String]
}
