import Foundation

/// Compares models of SwiftData's interface with typed classes of Cairn, in one process: on a SQLite store, in turn.
///
/// Prints the medians of processor time for each object, and their ratios. `swift run -c release model-classes`. With the
/// argument `memory`, prints the bytes of fetched objects.
@main struct ModelClasses {
    private static let objectCount = 10_000
    private static let roundCount = 9

    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 4 {
            return try Memory.run(arguments[1], arguments[2], in: URL(filePath: arguments[3]))
        }
        if arguments.dropFirst() == ["memory"] { return try Memory.compare() }
        var typed: [String: [Double]] = [:]
        var models: [String: [Double]] = [:]
        for round in 0..<roundCount {
            let folder = FileManager.default.temporaryDirectory.appending(
                path: "model-classes-\(ProcessInfo.processInfo.processIdentifier)-\(round)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            func measureTyped() throws {
                let items = try TypedItems(in: folder)
                note(try items.insertAndSave(objectCount), try items.fetchAndRead(), &typed)
            }
            func measureModels() throws {
                let items = try ModelItems(in: folder)
                note(try items.insertAndSave(objectCount), try items.fetchAndRead(), &models)
            }
            if round % 2 == 0 {
                try measureTyped()
                try measureModels()
            } else {
                try measureModels()
                try measureTyped()
            }
        }
        print("operation: typed class, model, ratio (medians of \(roundCount) rounds)")
        for (name, unit, goal) in [
            ("insert", "ns", "1.50"), ("save", "ns", "1.15"), ("realised fetch", "ns", "1.50"),
            ("cached read", "ns", "1.30"),
        ] {
            let (left, right) = (median(typed[name]), median(models[name]))
            print(
                "\(name): \(text(left)) \(unit), \(text(right)) \(unit), \(text(right / left))"
                    + " (goal \(goal))")
        }
    }

    private static func note(
        _ saved: (insert: Double, save: Double), _ read: (fetch: Double, read: Double),
        _ results: inout [String: [Double]]
    ) {
        let scale = 1e9 / Double(objectCount)
        results["insert", default: []].append(saved.insert * scale)
        results["save", default: []].append(saved.save * scale)
        results["realised fetch", default: []].append(read.fetch * scale)
        // Three passes that read two properties.
        results["cached read", default: []].append(read.read * scale / 6)
    }

    private static func median(_ values: [Double]?) -> Double {
        let sorted = (values ?? []).sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }

    private static func text(_ number: Double) -> String {
        number.formatted(.number.precision(.fractionLength(2)).locale(Locale(identifier: "en")))
    }
}
