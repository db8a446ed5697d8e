extension String {
    /// Returns the noun with its indefinite article: `a relationship`, `an attribute`.
    ///
    /// The article follows from the first letter. It is wrong for words whose first sound differs from
    /// their first letter, such as “hour”; messages use no such words.
    package var withArticle: String {
        let isVowel = unicodeScalars.first.map { "aeiouAEIOU".unicodeScalars.contains($0) } ?? false
        return "\(isVowel ? "an" : "a") \(self)"
    }
}
