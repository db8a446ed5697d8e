/// A key path that begins at a variable, such as `$FETCH_SOURCE.mentor.name`.
package struct VariablePath: Sendable, Hashable {
    /// The variable, without the dollar sign.
    package let variable: String
    /// The names after the variable. Never empty.
    package let names: [String]
}
