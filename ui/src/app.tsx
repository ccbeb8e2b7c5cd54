import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useMemo } from "react";
import { Problem } from "./api/problem";
import { resolver } from "./colors";
import { afterFailure } from "./parts/refetch";
import { router } from "./routes";
import { RecentProvider } from "./session/recent";
import { useText } from "./text";
import { theme, worded } from "./theme";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      networkMode: "always", // a browser without the internet may well reach this server
      // A refusal does not get better by asking again; a lost connection may.
      retry: (count, error) =>
        count < 2 && (!(error instanceof Problem) || (error.status === 503 && error.code !== "recovery_required")),
      refetchInterval: ({ state: { error } }) => error !== null && afterFailure(error),
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

export function App({ nonce }: { nonce: string }) {
  const { reveal } = useText().common.actions;
  const spoken = useMemo(() => worded(theme, reveal), [reveal]);
  return (
    <MantineProvider
      theme={spoken}
      cssVariablesResolver={resolver}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queries}>
        <RecentProvider>
          <RouterProvider router={router} />
        </RecentProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
