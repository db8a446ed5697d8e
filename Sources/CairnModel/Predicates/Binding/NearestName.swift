/// Suggests a correction for a misspelt name.
package enum NearestName {
    /// Returns the candidate with the smallest edit distance, or `nil` if no candidate is similar.
    package static func of(_ name: String, among candidates: [String]) -> String? {
        let ranked = candidates.map { ($0, distance(name.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
        return best.1 <= max(2, name.count / 2) ? best.0 : nil
    }

    /// Returns the Levenshtein distance of the first 64 letters.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (a, b) = (Array(left.prefix(64)), Array(right.prefix(64)))
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let substituted = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}
