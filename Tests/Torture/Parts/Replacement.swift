import Cairn
import Foundation

/// A writer whose file is replaced.
struct Replacement {
    enum Moment: CustomStringConvertible {
        case before(save: Int)
        case at(call: Int)

        var description: String {
            switch self {
            case .before(let save): "\(save)"
            case .at(let call): "call-\(call)"
            }
        }
    }

    let deed: ReplacedPart.Deed
    let moment: Moment
    let sequel: ReplacedWithinPart.Sequel?
    let subject: Subject
    /// A store of the same engine and model with different content.
    let other: Subject
    let lane: Lane
    let planted: PlantedDefect?
    private var verdict = Verdict()
    private var acknowledged = 0
    /// The last save that was begun.
    private var begun = 0
    /// The save that was in progress at the time of the deed, or else the next save. `nil` before the deed.
    private var firstRefused: Int?
    /// The file at the store's path after the deed, or `nil` if no file is there.
    private var replacing: Data?
    /// How often the writer was stopped.
    private var stopCount = 0
    private var isSequelDone = false
    /// Whether a save in progress at the time of the deed is still written to the file at the path.
    private var keepsSaveUnderWay = false

    init(
        _ deed: ReplacedPart.Deed, _ moment: Moment, _ sequel: ReplacedWithinPart.Sequel?,
        _ engine: StoreType, _ settings: Settings, _ lane: Lane, folder: String
    ) throws {
        (self.deed, self.moment, self.sequel) = (deed, moment, sequel)
        (self.lane, planted) = (lane, settings.planted)
        for name in ["store", "other"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
        }
        subject = settings.subject(engine, folder + "/store")
        var other = settings.subject(engine, folder + "/other")
        other.seed = settings.seed &+ 1
        self.other = other
    }

    /// Whether the file at the path after the deed is still the writer's store, so that the writer may save
    /// to it.
    private var isOwnFile: Bool {
        deed == .replacedByOwnCopy && isWholeFile
    }

    private var isWholeFile: Bool {
        Engines.typesOfWholeFiles.contains(StoreType(subject.engine))
    }

    private var isKilled: Bool {
        if case .killed? = sequel { isSequelDone } else { false }
    }

    /// The number of the last save that may be stored. A save in progress at the time of the deed may have
    /// been committed to the file that was moved away. It then throws, because its outcome is unknown.
    private var lastThatMayBeThere: Int {
        guard case .at = moment else { return acknowledged }
        return max(acknowledged, firstRefused ?? acknowledged)
    }

    private var path: String { subject.file.path }
    private var aside: String { path + ".aside" }
    /// A copy of the store's folder at the time of the deed.
    private var before: String { subject.folder + "-before" }

    mutating func run() throws -> Verdict {
        if deed == .replacedByOther { try makeOther() }
        let dialogue = try lane.startFaulty(.write(assignment))
        while let line = try dialogue.next() { try note(line, dialogue) }
        if dialogue.end != (isKilled ? "signal 9" : "code 0") {
            verdict.problems.append("the process ended with \(dialogue.end)")
        }
        verdict.isReached = firstRefused != nil && (sequel == nil || isSequelDone)
        if verdict.isReached { try checkFiles() }
        verdict.savesChecked = acknowledged
        return verdict
    }

    private var assignment: WritingAssignment {
        var assignment = WritingAssignment(
            subject: subject, saveCount: ReplacedPart.saveCount, planted: planted,
            persistence: isOwnFile ? .catchesUp : .goesOn)
        switch moment {
        case .before: assignment.asksBeforeSaving = true
        case .at(let call):
            assignment.fault = Fault(kind: .stop, at: call, isSticky: sequel != nil)
        }
        return assignment
    }

    private mutating func note(_ line: String, _ dialogue: Dialogue) throws {
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        switch words[0] {
        case "ready":
            if case .before(number) = moment { try perform(before: number) }
            try dialogue.tell("go")
        case "stopped":
            stopCount += 1
            // A store that is still being created cannot be replaced.
            if stopCount == 1, acknowledged > 0 {
                try perform(before: max(begun, acknowledged + 1))
            }
            try performSequel(dialogue)
            dialogue.proceed()
        case "begin": begun = number
        case "saved":
            acknowledged = number
            if let firstRefused, number >= firstRefused, !isOwnFile,
                !(number == firstRefused && keepsSaveUnderWay), try !wasCommitted(number)
            {
                verdict.problems.append("save \(number) was acknowledged after the deed")
            }
        case "failed":
            if words[2] == "untyped" || firstRefused == nil { verdict.problems.append(line) }
        case "unopened", "threw": verdict.problems.append(line)
        default: break
        }
    }

    /// Returns whether a save that returned after the deed was already in the files before the deed, so that
    /// the deed affected a store that contained the save.
    private func wasCommitted(_ save: Int) throws -> Bool {
        guard case .at = moment else { return false }
        var copy = subject
        copy.folder = before
        return try problems(of: copy, save...save, .reading).isEmpty
    }

    private func makeOther() throws {
        let dialogue = try lane.startFaulty(
            .write(WritingAssignment(subject: other, saveCount: 3)))
        while try dialogue.next() != nil {}
    }

    private mutating func perform(before save: Int) throws {
        firstRefused = save
        // A second name does not remove the file from its first name.
        keepsSaveUnderWay = deed == .hardLinked && begun > acknowledged
        if case .at = moment {
            try FileManager.default.copyItem(atPath: subject.folder, toPath: before)
        }
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
        // Replaces the file as an editor, a backup program or `mv` would.
        if files.fileExists(atPath: temporary), rename(temporary, path) != 0 {
            throw HarnessFailure("rename: errno \(errno)")
        }
        replacing = files.contents(atPath: path)
    }

    /// Replaces the file again, or kills the writer, if the time for the sequel has come.
    private mutating func performSequel(_ dialogue: Dialogue) throws {
        guard let sequel, firstRefused != nil, stopCount == 1 + sequel.calls else { return }
        isSequelDone = true
        switch sequel {
        case .killed: dialogue.killNow()
        case .again:
            let text = Data("another letter".utf8)
            try text.write(to: URL(fileURLWithPath: path + ".new"))
            guard rename(path + ".new", path) == 0 else {
                throw HarnessFailure("rename: errno \(errno)")
            }
            replacing = text
        }
    }

    /// Checks that the file at the path is the one that was put there, and that another process reads it as
    /// such.
    private mutating func checkFiles() throws {
        // Opening the store for writing completes what the killed process had begun.
        if isKilled { _ = try problems(of: subject, 0...0, .opening) }
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
            if case .again? = sequel { return }
            var subject = subject
            subject.seed = other.seed
            try check(subject, 3...3)
        case .folderMovedAway:
            var subject = subject
            subject.folder += "-aside"
            try check(subject, acknowledged...lastThatMayBeThere)
        default: break
        }
    }

    private mutating func check(_ subject: Subject, _ states: ClosedRange<Int>) throws {
        verdict.problems += try problems(of: subject, states, .everything)
    }

    private func problems(
        of subject: Subject, _ states: ClosedRange<Int>, _ depth: CheckingAssignment.Depth
    ) throws -> [String] {
        try lane.runSound(
            .check(
                CheckingAssignment(
                    subject: subject, acknowledged: states.lowerBound, begun: states.upperBound,
                    depth: depth))
        ).filter { $0.hasPrefix("problem ") || $0.hasPrefix("threw ") }
    }
}
