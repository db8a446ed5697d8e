import Cairn
import Foundation

/// Replaces, removes and links the file of a store that a writer has open, before each save.
struct ReplacedPart: Part {
    let name = "replaced"

    let planted: [(defect: PlantedDefect, engine: StoreType)] = [
        (.swallowsFailures, .binary), (.overwritesReplacement, .binary),
    ]

    /// What happens to the file. A new one is a case here, and its deed in ``Replacement``.
    enum Deed: String, CaseIterable {
        case removed, movedAway, folderMovedAway
        case replacedByOther, replacedByOwnCopy, replacedByText, hardLinked
    }

    static let saveCount = 5

    func trialCount(_ settings: Settings) -> Int? { nil }

    func trials(_ engine: StoreType, _ settings: Settings, _ lane: Lane) throws -> [Trial] {
        Deed.allCases.flatMap { deed in
            (2...Self.saveCount).map { step in
                Trial(name: "\(deed.rawValue)@\(step)") { lane in
                    let folder = try lane.newFolder()
                    defer { lane.remove(folder) }
                    var trial = try Replacement(
                        deed, before: step, engine, settings, lane, folder: folder)
                    return try trial.run()
                }
            }
        }
    }
}

/// One writer whose file is replaced before one of its saves.
private struct Replacement {
    let deed: ReplacedPart.Deed
    let step: Int
    let subject: Subject
    /// A store of the same engine and model with other content.
    let other: Subject
    let lane: Lane
    let planted: PlantedDefect?
    private var verdict = Verdict()
    private var acknowledged = 0
    /// What is at the store's path after the deed; `nil` for nothing.
    private var replacing: Data?

    init(
        _ deed: ReplacedPart.Deed, before step: Int, _ engine: StoreType, _ settings: Settings,
        _ lane: Lane, folder: String
    ) throws {
        (self.deed, self.step, self.lane, planted) = (deed, step, lane, settings.planted)
        for name in ["store", "other"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
        }
        subject = settings.subject(engine, folder + "/store")
        var other = settings.subject(engine, folder + "/other")
        other.seed = settings.seed &+ 1
        self.other = other
    }

    /// Whether what is at the path after the deed is still the writer's store: it may save to it.
    private var isOwnFile: Bool {
        [.hardLinked, .replacedByOwnCopy].contains(deed)
            && Engines.typesOfWholeFiles.contains(StoreType(subject.engine))
    }

    private var path: String { subject.file.path }
    private var aside: String { path + ".aside" }

    mutating func run() throws -> Verdict {
        if deed == .replacedByOther { try makeOther() }
        let dialogue = try lane.startFaulty(
            .write(
                WritingAssignment(
                    subject: subject, saveCount: ReplacedPart.saveCount, planted: planted,
                    persistence: .goesOn, asksBeforeSaving: true)))
        while let line = try dialogue.next() {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if words[0] == "ready" {
                if words[1] == "\(step)" { try perform() }
                try dialogue.tell("go")
            } else {
                note(words, line)
            }
        }
        if dialogue.end != "code 0" {
            verdict.problems.append("the process ended with \(dialogue.end)")
        }
        try checkFiles()
        verdict.savesChecked = acknowledged
        return verdict
    }

    private mutating func note(_ words: [String], _ line: String) {
        switch words[0] {
        case "saved":
            acknowledged = Int(words[1]) ?? 0
            if acknowledged >= step && !isOwnFile {
                verdict.problems.append("save \(acknowledged) was acknowledged after the deed")
            }
        case "failed" where words[2] == "untyped" || (Int(words[1]) ?? 0) < step:
            verdict.problems.append(line)
        case "unopened", "threw": verdict.problems.append(line)
        default: break
        }
    }

    private func makeOther() throws {
        let dialogue = try lane.startFaulty(
            .write(WritingAssignment(subject: other, saveCount: 3)))
        while try dialogue.next() != nil {}
    }

    private mutating func perform() throws {
        let files = FileManager.default
        let temporary = path + ".new"
        switch deed {
        case .removed: try files.removeItem(atPath: path)
        case .movedAway: try files.moveItem(atPath: path, toPath: aside)
        case .folderMovedAway:
            try files.moveItem(atPath: subject.folder, toPath: subject.folder + "-aside")
        case .hardLinked: try files.linkItem(atPath: path, toPath: aside)
        case .replacedByOther: try files.copyItem(atPath: other.file.path, toPath: temporary)
        case .replacedByOwnCopy: try files.copyItem(atPath: path, toPath: temporary)
        case .replacedByText: try Data("a letter".utf8).write(to: URL(fileURLWithPath: temporary))
        }
        // As an editor, a backup program or `mv` replaces a file.
        if files.fileExists(atPath: temporary), rename(temporary, path) != 0 {
            throw HarnessFailure("rename: errno \(errno)")
        }
        replacing = files.contents(atPath: path)
    }

    /// What is at the path is what was put there, and reads as that in another process.
    private mutating func checkFiles() throws {
        if deed == .hardLinked { try FileManager.default.removeItem(atPath: aside) }
        if deed == .hardLinked || isOwnFile {
            return try check(subject, acknowledged...acknowledged)
        }
        let now = FileManager.default.contents(atPath: path)
        if now != replacing {
            verdict.problems.append(
                replacing == nil ? "a file was made at the path" : "the replacing file was changed")
        }
        switch deed {
        case .replacedByOther:
            var subject = subject
            subject.seed = other.seed
            try check(subject, 3...3)
        case .folderMovedAway:
            var subject = subject
            subject.folder += "-aside"
            try check(subject, acknowledged...acknowledged)
        default: break
        }
    }

    private mutating func check(_ subject: Subject, _ states: ClosedRange<Int>) throws {
        let lines = try lane.runSound(
            .check(
                CheckingAssignment(
                    subject: subject, acknowledged: states.lowerBound, begun: states.upperBound)))
        verdict.problems += lines.filter { $0.hasPrefix("problem ") || $0.hasPrefix("threw ") }
    }
}
