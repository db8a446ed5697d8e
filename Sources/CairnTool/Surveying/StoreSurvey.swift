import Cairn
import Foundation

/// What is known of a store after a look at all of it: what it says of itself, its model, how many
/// objects it has, whether they are sound, and a few of them.
///
/// A store that is damaged, or whose model is missing, has what could be found out.
struct StoreSurvey {
    /// A file or folder of the store.
    struct File {
        let name: String
        let byteCount: Int
    }

    /// Where the model comes from.
    enum ModelOrigin {
        case store, argument
        /// The store has no model, and shows enough of one to be read.
        case inferred
    }

    /// What the check of references, inverses, required values, counts and indexes said.
    enum Check {
        case sound(objectCount: Int, referenceCount: Int)
        /// The first problems, and how many there are.
        case unsound([String], count: Int)
        /// The check ended before its end, and why.
        case failed(String)
        /// There was nothing to check with, and why.
        case impossible(String)
    }

    /// The most problems that are kept.
    static let mostProblems = 50

    let name: String
    let path: String
    let type: StoreType
    let identifier: String
    let versionIdentifiers: [String]
    let files: [File]
    /// By the names that the store records. An entity whose objects cannot be counted is absent.
    let counts: [String: Int]
    /// Whether all objects were counted.
    let isCountComplete: Bool
    let model: ManagedObjectModel?
    let modelOrigin: ModelOrigin?
    let check: Check
    /// By the names of the model's entities.
    let samples: [String: EntitySample]

    /// Looks at a store.
    ///
    /// Reads all of it twice, to check it. Keeps an ID of each object while it does, and no values but
    /// those of the samples.
    ///
    /// - Parameter sampleCount: how many objects of each entity are kept.
    init(_ tool: ToolStore, sampleCount: Int) {
        let location = tool.location
        path = PathAlias.shown(in: location.fileURL?.path ?? "\(location)")
        name = String(path.split(separator: "/").last ?? "")
        type = tool.metadata.type
        identifier = tool.metadata.identifier
        versionIdentifiers = tool.metadata.modelVersionIdentifiers.filter { !$0.isEmpty }
        files = Self.files(of: tool)
        let counts = try? tool.entityCounts()
        isCountComplete = counts != nil
        do {
            let (model, origin) = try tool.modelAndOrigin()
            self.model = model
            modelOrigin = origin
            let reading = Self.read(tool, model, sampleCount: sampleCount)
            check = reading.check
            samples = reading.samples
            self.counts = counts ?? reading.counts
        } catch {
            (model, modelOrigin, samples) = (nil, nil, [:])
            self.counts = counts ?? [:]
            check = .impossible(PathAlias.shown(in: "\(error)"))
        }
    }

    private static func files(of tool: ToolStore) -> [File] {
        guard let main = tool.location.fileURL else { return [] }
        let companions = tool.engine.companionFiles(of: tool.location).filter { $0.role == .data }
        return ([main] + companions.map(\.url)).compactMap { url in
            guard let count = try? url.byteCount(), count > 0 else { return nil }
            return File(name: url.lastPathComponent, byteCount: count)
        }
    }

    /// What is read of an open store.
    private struct Reading {
        var check: Check
        var counts: [String: Int] = [:]
        var samples: [String: EntitySample] = [:]
    }

    /// Checks the store, and reads samples and counts of what can be read.
    private static func read(
        _ tool: ToolStore, _ model: ManagedObjectModel, sampleCount: Int
    ) -> Reading {
        do {
            try tool.requireNoPendingSave()
            let store = try tool.open(with: model)
            defer { try? store.close() }
            let snapshot = try store.snapshot()
            defer { snapshot.end() }
            let sampler = EntitySampler(
                snapshot: snapshot, layouts: store.request.layouts, count: sampleCount)
            var reading = Reading(check: check(store, snapshot))
            for entity in model.entities where !entity.isAbstract {
                reading.samples[entity.name] = sampler.sample(of: entity)
                let plan = FetchPlan(entity: entity, includesSubentities: false)
                reading.counts[entity.name] = (try? snapshot.count(plan)).flatMap(\.self)
            }
            return reading
        } catch {
            return Reading(check: .failed(PathAlias.shown(in: "\(error)")))
        }
    }

    private static func check(
        _ store: any PersistentStore, _ snapshot: any StoreSnapshot
    ) -> Check {
        var problems: [String] = []
        do {
            problems += try ((store as? any SelfCheckingStore)?.findDisagreements() ?? [])
                .map(\.description)
            let report = try StoreVerifier(
                snapshot: snapshot, layouts: store.request.layouts
            ).verify()
            problems += report.problems.map(\.description)
            guard problems.isEmpty else {
                return .unsound(
                    Array(problems.prefix(mostProblems)), count: problems.count)
            }
            return .sound(objectCount: report.objectCount, referenceCount: report.referenceCount)
        } catch {
            let text = PathAlias.shown(in: "\(error)")
            guard !problems.isEmpty else { return .failed(text) }
            let all = problems.prefix(mostProblems) + [text]
            return .unsound(Array(all), count: problems.count + 1)
        }
    }

    /// How many bytes all files of the store take.
    var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }
    /// `nil` if not all objects can be counted.
    var objectCount: Int? { isCountComplete ? counts.values.reduce(0, +) : nil }
}
