import GraphSupport

/// Finds a short sequence that still fails.
struct Shrinker {
    /// Returns whether a sequence fails.
    let fails: ([GraphEvent]) -> Bool

    /// Removes events, and then edits, from a failing sequence as long as it keeps failing: first halves,
    /// then quarters, down to single ones (Zeller and Hildebrandt, “Simplifying and isolating
    /// failure-inducing input”, 2002).
    func shrink(_ events: [GraphEvent]) -> [GraphEvent] {
        var events = withoutParts(of: events) { $0 }
        for index in events.indices {
            guard case .edits(let edits) = events[index] else { continue }
            let kept = withoutParts(of: edits) { edits in
                var changed = events
                changed[index] = .edits(edits)
                return changed
            }
            events[index] = .edits(kept)
        }
        return events
    }

    /// Removes as many parts as possible.
    ///
    /// - Parameter sequence: Returns the whole sequence with only the given parts left.
    private func withoutParts<Part>(of parts: [Part], in sequence: ([Part]) -> [GraphEvent])
        -> [Part]
    {
        var parts = parts
        var size = max(parts.count / 2, 1)
        while true {
            var start = 0
            var isShorter = false
            while start < parts.count {
                var candidate = parts
                candidate.removeSubrange(start..<min(start + size, parts.count))
                if fails(sequence(candidate)) {
                    parts = candidate
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1 {
                if !isShorter { return parts }
            } else {
                size /= 2
            }
        }
    }
}
