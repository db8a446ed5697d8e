import GraphSupport

/// Finds a short sequence that still fails.
struct Shrinker<Event> {
    /// Returns whether a sequence fails.
    let fails: ([Event]) -> Bool

    /// Removes events from a failing sequence as long as it keeps failing: first halves, then quarters, down
    /// to single ones (Zeller and Hildebrandt, “Simplifying and isolating failure-inducing input”, 2002).
    func shrink(_ events: [Event]) -> [Event] { withoutParts(of: events) { $0 } }

    /// Removes as many parts as possible.
    ///
    /// - Parameter sequence: Returns the whole sequence with only the given parts left.
    fileprivate func withoutParts<Part>(of parts: [Part], in sequence: ([Part]) -> [Event])
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

extension Shrinker<GraphEvent> {
    /// Removes events, and then edits of the remaining events.
    func shrinkWithEdits(_ events: [GraphEvent]) -> [GraphEvent] {
        var events = shrink(events)
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
}

extension Shrinker<SharedStep> {
    /// Removes steps, and then edits of the remaining steps.
    func shrinkWithEdits(_ steps: [SharedStep]) -> [SharedStep] {
        var steps = shrink(steps)
        for index in steps.indices {
            guard case .edit(let editor, let inRoot, let picks) = steps[index] else { continue }
            let kept = withoutParts(of: picks) { picks in
                var changed = steps
                changed[index] = .edit(editor: editor, inRoot: inRoot, picks)
                return changed
            }
            steps[index] = .edit(editor: editor, inRoot: inRoot, kept)
        }
        return steps
    }
}
