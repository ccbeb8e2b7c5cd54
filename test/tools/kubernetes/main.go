// Command kubernetes judges the manifests on standard input as the API server judges what
// is created: decoding without unknown fields, defaults, validation. A warning is a mistake,
// too, and so is a pod that the Pod Security Standard "restricted" refuses. What is fine is
// printed as it is given, as JSON; the exit code is 1 if anything is not.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

// strategies say what the API server does to create an object of a kind.
var strategies = map[string]struct {
	resource string // with its version and group
	rest.RESTCreateStrategy
}{
	"ConfigMap":           {"configmaps.v1.", configmap.Strategy},
	"Deployment":          {"deployments.v1.apps", deployment.Strategy},
	"Ingress":             {"ingresses.v1.networking.k8s.io", ingress.Strategy},
	"Job":                 {"jobs.v1.batch", job.Strategy},
	"NetworkPolicy":       {"networkpolicies.v1.networking.k8s.io", networkpolicy.Strategy},
	"PodDisruptionBudget": {"poddisruptionbudgets.v1.policy", poddisruptionbudget.Strategy},
	"Service":             {"services.v1.", service.Strategy},
	"ServiceAccount":      {"serviceaccounts.v1.", serviceaccount.Strategy},
}

// custom are the kinds of the Prometheus operator, which the API server only decodes.
var custom = map[string]func() any{
	"PrometheusRule": func() any { return &monitoring.PrometheusRule{} },
	"ServiceMonitor": func() any { return &monitoring.ServiceMonitor{} },
}

func main() {
	decoder := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDecoder()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		fail(err)
	}
	found, status := 0, 0
	for reader := utilyaml.NewDocumentDecoder(io.NopCloser(os.Stdin)); ; {
		document := make([]byte, 1<<20)
		n, err := reader.Read(document)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			fail(err)
		}
		var head struct {
			metav1.TypeMeta   `json:",inline"`
			metav1.ObjectMeta `json:"metadata"`
		}
		given, err := yaml.YAMLToJSONStrict(document[:n])
		if err != nil {
			fail(err)
		}
		if err := json.Unmarshal(given, &head); err != nil {
			fail(err)
		}
		if head.Kind == "" {
			continue // comments alone
		}
		found++
		if err := judge(decoder, evaluator, given, head.TypeMeta, head.Namespace); err != nil {
			fmt.Fprintf(os.Stderr, "%s %s: %v\n", head.Kind, head.Name, err)
			status = 1
		} else {
			fmt.Printf("%s\n", given)
		}
	}
	if found == 0 {
		fail(errors.New("no manifests"))
	}
	os.Exit(status)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// warnings collects what the API server would tell a client.
type warnings []error

func (w *warnings) AddWarning(_, text string) { *w = append(*w, errors.New(text)) }

func judge(decoder runtime.Decoder, evaluator policy.Evaluator, document []byte, kind metav1.TypeMeta, namespace string) error {
	if empty, ok := custom[kind.Kind]; ok {
		if kind.APIVersion != monitoring.SchemeGroupVersion.String() {
			return fmt.Errorf("its version is %s", kind.APIVersion)
		}
		return yaml.UnmarshalStrict(document, empty())
	}
	strategy, ok := strategies[kind.Kind]
	if !ok {
		return errors.New("a kind that this program does not know")
	}
	resource, _ := schema.ParseResourceArg(strategy.resource)
	if kind.APIVersion != resource.GroupVersion().String() {
		return fmt.Errorf("its version is %s", kind.APIVersion)
	}
	object, _, err := decoder.Decode(document, nil, nil)
	if err != nil {
		return err
	}
	if namespace == "" {
		namespace = "default"
	}
	var told warnings
	ctx := warning.WithWarningRecorder(request.WithNamespace(context.Background(), namespace), &told)
	ctx = request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, Verb: "create", Namespace: namespace,
		APIGroup: resource.Group, APIVersion: resource.Version, Resource: resource.Resource,
	})
	if meta, ok := object.(metav1.Object); ok {
		rest.FillObjectMetaSystemFields(meta)
	}
	if err := rest.BeforeCreate(strategy, ctx, object); err != nil {
		return err
	}
	return errors.Join(append(told, secure(evaluator, object))...)
}

// secure judges the pods that an object makes.
func secure(evaluator policy.Evaluator, object runtime.Object) error {
	var template core.PodTemplateSpec
	switch object := object.(type) {
	case *apps.Deployment:
		template = object.Spec.Template
	case *batch.Job:
		template = object.Spec.Template
	default:
		return nil
	}
	var out v1.PodTemplateSpec
	if err := corev1.Convert_core_PodTemplateSpec_To_v1_PodTemplateSpec(&template, &out, nil); err != nil {
		return err
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	if result := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &out.ObjectMeta, &out.Spec)); !result.Allowed {
		return errors.New("not restricted: " + result.ForbiddenDetail())
	}
	return nil
}
