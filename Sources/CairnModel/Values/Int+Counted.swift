extension Int {
    /// Returns the number followed by a noun in the singular or plural: `1 object`, `2 objects`.
    ///
    /// - Parameter plural: The plural of the noun. `nil` means the noun with an “s”.
    package func counted(_ noun: String, plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
    }
}
